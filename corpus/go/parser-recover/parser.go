package parser

import "fmt"

// Parser counts the errors it meets.
type Parser struct {
	depth  int
	errors int
}

//go:noinline
func (p *Parser) factor(s string) int {
	if len(s) == 0 {
		panic("unexpected end of input")
	}
	p.depth++
	return p.term(s[1:])
}

//go:noinline
func (p *Parser) term(s string) int {
	n := p.factor(s)
	p.depth--
	return n
}

//go:noinline
func (p *Parser) expr(s string) int {
	return p.term(s) + 1
}

// Try parses s and turns a panic into an error.
//
//go:noinline
func (p *Parser) Try(s string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("parse: %v", r)
		}
	}()
	p.expr(s)
	return nil
}

// Fail counts an error.
//
//go:noinline
func (p *Parser) Fail() {
	p.errors++ //race:Parser.errors
}

// Watch resets the count once.
//
//go:noinline
func (p *Parser) Watch() {
	p.errors = 0 //race:Parser.errors
}
