package main

import (
	"fmt"

	"example.com/ferrite/compiler/check"
)

func main() {
	units := []check.Unit{
		{Name: "lexer.fe", Lines: []string{"let a = 1", "let  = 2", "a + b"}},
		{Name: "parser.fe", Lines: []string{"let x", "x = 3"}},
		{Name: "emit.fe", Lines: []string{"let y = 4", "let = 5"}},
	}
	c := check.NewCompilation(units...)
	c.Check()
	fmt.Println("units:", len(units), "passes:", c.Passes())
}
