package tax

import "fmt"

// Payslip is what an employer reports.
type Payslip struct {
	Payer string
	Gross Cents
	Kept  Cents
}

// Office keeps one account for each taxpayer it knew when the year began.
type Office struct {
	accounts map[string]*Account
	rate     Cents
}

// Open starts a year.
func Open(rate Cents, payers ...string) *Office {
	o := &Office{accounts: make(map[string]*Account, len(payers)), rate: rate}
	for _, payer := range payers {
		o.accounts[payer] = &Account{}
	}
	return o
}

// Post books a payslip.
func (o *Office) Post(slip Payslip) error {
	account, ok := o.accounts[slip.Payer]
	if !ok {
		return fmt.Errorf("tax: nobody is called %q", slip.Payer)
	}
	account.assess(slip.Gross * o.rate / 100)
	account.withhold(slip.Kept)
	return nil
}

// Statement is what a payer still owes.
func (o *Office) Statement(payer string) string {
	due := o.accounts[payer].balance()
	if due < 0 {
		return fmt.Sprintf("%s gets back %d", payer, -due)
	}
	return fmt.Sprintf("%s owes %d", payer, due)
}
