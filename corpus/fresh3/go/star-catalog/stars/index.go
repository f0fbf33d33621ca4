package stars

// index counts stars by some word.
type index map[string]int

func (x index) add(word string) {
	x[word]++
}

func (x index) count(word string) int {
	return x[word]
}
