package session

// Size is the number of sessions.
func (t *Table) Size() int { return t.size } //race:Table.size

// Newest is the session that came last.
func (t *Table) Newest() ID { return t.newest } //race:Table.newest
