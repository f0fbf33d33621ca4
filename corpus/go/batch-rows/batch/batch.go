// Package batch sends rows in batches.
package batch

// Row is one row.
type Row struct {
	id   int
	done bool
}

// Batch collects rows.
type Batch struct {
	rows []Row
}

// Add adds a row.
func (b *Batch) Add(id int) {
	b.rows = append(b.rows, Row{id: id}) //race:Batch.rows,Row.done
	b.rows[0].done = false               //race:Row.done
}

// Left counts the rows to do.
func (b *Batch) Left() int {
	left := 0
	rows := b.rows //race:Batch.rows
	for i := range rows {
		if !rows[i].done { //race:Row.done
			left++
		}
	}
	return left
}
