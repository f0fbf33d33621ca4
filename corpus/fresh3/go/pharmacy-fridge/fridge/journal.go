package fridge

// journal has what inspectors want to see.
var journal struct {
	entries int
	last    [8]string
}

func book(line string) {
	at := journal.entries % len(journal.last) //race:journal.entries
	journal.last[at] = line
	journal.entries++ //race:journal.entries
}

// Entries is how many lines the journal has.
func Entries() int {
	return journal.entries //race:journal.entries
}
