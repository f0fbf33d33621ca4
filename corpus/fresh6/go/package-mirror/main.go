package main

import (
	"fmt"

	"github.com/deadheat-corpus/packagemirror/mirror"
)

func main() {
	m := mirror.New("https://deb.test", 4)
	n, err := m.Sync([]string{"main/a.deb", "main/b.deb", "contrib/c.deb", ""})
	fmt.Println(n, err)
}
