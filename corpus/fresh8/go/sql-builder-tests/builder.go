package sqlb

import "strings"

// Select builds a statement step by step.
type Select struct {
	table   string
	clauses []string
	args    []any
}

// From starts a statement.
func From(table string) *Select {
	return &Select{table: table}
}

// Where adds a condition.
func (s *Select) Where(clause string, arg any) *Select {
	s.clauses = append(s.clauses, clause) //race:Select.clauses
	s.args = append(s.args, arg)          //race:Select.args
	return s
}

// SQL returns the text.
func (s *Select) SQL() string {
	text := "SELECT * FROM " + s.table
	if len(s.clauses) > 0 { //race:Select.clauses
		text += " WHERE " + strings.Join(s.clauses, " AND ") //race:Select.clauses
	}
	return text
}
