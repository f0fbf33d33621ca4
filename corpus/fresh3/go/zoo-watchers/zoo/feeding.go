// Package zoo tells visitors when animals are fed.
package zoo

// Watcher is told about feedings.
type Watcher interface {
	Fed(animal string)
}

// Feeding has those who want to know.
type Feeding struct {
	watchers []Watcher
}

// NewFeeding returns a feeding with room for watchers.
func NewFeeding(most int) *Feeding {
	return &Feeding{watchers: make([]Watcher, 0, most)}
}

// Subscribe adds a watcher.
func (f *Feeding) Subscribe(w Watcher) {
	list := f.watchers     //race:Feeding.watchers
	list = append(list, w) //race:Feeding.watchers[]
	f.watchers = list      //race:Feeding.watchers
}

func (f *Feeding) announce(animal string) int {
	list := f.watchers //race:Feeding.watchers
	told := 0
	for _, w := range list { //race:Feeding.watchers[]
		if w != nil {
			w.Fed(animal)
			told++
		}
	}
	return told
}
