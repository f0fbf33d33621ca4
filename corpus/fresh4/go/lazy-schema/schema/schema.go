// Package schema knows columns.
package schema

// Column is a column of a table.
type Column struct {
	Name string
	Type string
}

type index map[string]int

type kinds struct{ numeric, textual int }

// Schema is a list of columns.
type Schema struct {
	columns []Column
	byName  once[index]
	byType  once[kinds]
}

func (s *Schema) names() *index {
	found := make(index, len(s.columns))
	for i, c := range s.columns {
		found[c.Name] = i
	}
	return &found
}

func (s *Schema) types() *kinds {
	var k kinds
	for _, c := range s.columns {
		if c.Type == "int" {
			k.numeric++
		} else {
			k.textual++
		}
	}
	return &k
}

// Warm makes both indices ahead of the first query.
func (s *Schema) Warm() bool {
	names := s.byName.get(s.names) //race:Schema.byName
	types := s.byType.get(s.types) //race:Schema.byType
	return names != nil && types != nil
}
