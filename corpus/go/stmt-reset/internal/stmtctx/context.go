// Package stmtctx holds what one statement knows of itself.
package stmtctx

// Context is reset for every statement.
type Context struct {
	affected uint64
	warnings []string
	text     string
}

// Reset forgets the last statement.
func (c *Context) Reset(text string) {
	*c = Context{text: text} //race:Context.warnings
}

// AppendWarning keeps a warning.
func (c *Context) AppendWarning(msg string) {
	c.warnings = append(c.warnings, msg) //race:Context.warnings
}
