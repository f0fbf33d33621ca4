package vcs

import (
	"fmt"
	"strings"
)

// Repo is a remote repository.
type Repo struct {
	URL    string
	Branch string
}

// Clone fetches a repository into a directory.
func Clone(r Repo, dir string) (string, error) {
	if !strings.HasPrefix(r.URL, "https://") {
		return "", fmt.Errorf("clone %s: unsupported scheme", r.URL)
	}
	return dir + "/" + r.Branch, nil
}

// Checkout moves to a branch.
func Checkout(dir, branch string) error {
	if branch == "" {
		return fmt.Errorf("checkout %s: no branch", dir)
	}
	return nil
}
