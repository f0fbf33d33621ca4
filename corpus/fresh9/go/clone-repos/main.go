package main

import (
	"fmt"
	"log"
	"os"
	"sync"

	"example.com/mirrors/clone/vcs"
)

func cloneAll(repos []vcs.Repo, base string) error {
	err := os.MkdirAll(base, 0o755)
	if err != nil {
		return err
	}
	defer os.RemoveAll(base)

	var wg sync.WaitGroup
	for _, repo := range repos {
		repo := repo
		wg.Add(1)
		go func() {
			defer wg.Done()
			var dir string
			dir, err = vcs.Clone(repo, base) //race:err
			if err != nil {                  //race:err
				return
			}
			err = vcs.Checkout(dir, repo.Branch) //race:err
		}()
	}
	wg.Wait()
	return err
}

func main() {
	base, err := os.MkdirTemp("", "mirror")
	if err != nil {
		log.Fatal(err)
	}
	err = cloneAll([]vcs.Repo{
		{URL: "https://git.example.org/a", Branch: "main"},
		{URL: "https://git.example.org/b", Branch: "main"},
		{URL: "ssh://git.example.org/c", Branch: "release"},
	}, base)
	fmt.Println("mirrored, last error:", err != nil)
}
