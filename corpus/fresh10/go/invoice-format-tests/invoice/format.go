// Package invoice prints amounts.
package invoice

import (
	"fmt"
	"strings"
)

// Formatter prints money the way a country does. It is not meant to be shared.
type Formatter struct {
	Decimal string
	Symbol  string
	After   bool
}

// Use switches to a country's way.
func (f *Formatter) Use(country string) {
	switch country {
	case "DE", "FR":
		f.Decimal = "," //race:Formatter.Decimal
		f.After = true  //race:Formatter.After
	default:
		f.Decimal = "." //race:Formatter.Decimal
		f.After = false //race:Formatter.After
	}
}

// Money prints an amount of cents.
func (f *Formatter) Money(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	num := fmt.Sprintf("%s%d%s%02d", sign, cents/100, f.Decimal, cents%100) //race:Formatter.Decimal
	if f.After {                                                            //race:Formatter.After
		return strings.Join([]string{num, f.Symbol}, " ")
	}
	return f.Symbol + num
}
