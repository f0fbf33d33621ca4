package iter

type project struct {
	child   Iterator
	columns []int
}

func (p *project) Next() Row {
	row := p.child.Next()
	if row == nil {
		return nil
	}
	out := make(Row, 0, len(p.columns))
	for _, c := range p.columns {
		out = append(out, row[c])
	}
	return out
}

func (p *project) Close() {
	p.child.Close()
}

// Project yields some columns.
func Project(child Iterator, columns ...int) Iterator {
	return &project{child, columns}
}
