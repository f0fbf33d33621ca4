package iter

type filter struct {
	child Iterator
	keep  func(Row) bool
	kept  int
}

func (f *filter) Next() Row {
	for row := f.child.Next(); row != nil; row = f.child.Next() {
		if f.keep(row) {
			f.count(1)
			return row
		}
	}
	return nil
}

func (f *filter) count(n int) {
	f.kept += n //race:filter.kept
}

func (f *filter) Close() {
	f.kept = 0 //race:filter.kept
	f.child.Close()
}

// Filter yields the rows that are kept.
func Filter(child Iterator, keep func(Row) bool) Iterator {
	return &filter{child: child, keep: keep}
}
