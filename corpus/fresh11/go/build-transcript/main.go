// Command forge builds a small project.
package main

import (
	"fmt"
	"io"

	"example.com/forge/runner/runner"
)

func say(lines int, status int) runner.Command {
	return func(out io.Writer) int {
		for i := 0; i < lines; i++ {
			fmt.Fprintf(out, "line %d\n", i)
		}
		return status
	}
}

func main() {
	text := runner.Run(map[string]runner.Command{
		"vet":  say(3, 0),
		"lint": say(12, 1),
		"test": say(20, 0),
	})
	fmt.Println(len(text) > 0)
}
