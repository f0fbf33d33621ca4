// Package symtab gives names numbers.
package symtab

// Table has the names of a program.
type Table struct {
	ids  map[string]int
	next int
}

// New makes an empty table.
func New() *Table { return &Table{ids: map[string]int{}} }

// Intern returns the number of a name, a new one if it has none.
func (t *Table) Intern(name string) int {
	if id, ok := t.ids[name]; ok { //race:Table.ids
		return id
	}
	t.next++         //race:Table.next
	id := t.next     //race:Table.next
	t.ids[name] = id //race:Table.ids
	return id
}
