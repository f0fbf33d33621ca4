// Package recipe cooks for more or fewer people.
package recipe

import "fmt"

// Recipe says what is needed.
type Recipe struct {
	title    string
	servings int
	grams    map[string]int
}

// New returns a recipe for two.
func New(title string, grams map[string]int) *Recipe {
	return &Recipe{title: title, servings: 2, grams: grams}
}

// Scale makes it a recipe for n.
func (r *Recipe) Scale(n int) error {
	if n < 1 {
		return fmt.Errorf("recipe: nobody eats")
	}
	r.set(n)
	return nil
}

func (r *Recipe) set(n int) {
	r.servings = n                            //race:Recipe.servings
	r.title = fmt.Sprintf("dinner for %d", n) //race:Recipe.title
}

// Need is how much of something it takes.
func (r *Recipe) Need(what string) int {
	return r.grams[what] * r.servings / 2 //race:Recipe.servings
}

// Card is the recipe's first line.
func (r *Recipe) Card() string {
	return "# " + r.title //race:Recipe.title
}
