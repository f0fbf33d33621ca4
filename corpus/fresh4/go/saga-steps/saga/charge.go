package saga

import "time"

// Charge takes the money and writes the receipt in the background.
func Charge(wait time.Duration) (string, error) {
	err := slow(wait, nil)()
	if err != nil {
		return "", err
	}
	receipt := make(chan string, 1)
	go func() {
		if err = slow(wait, nil)(); err != nil { //race:Charge.err
			receipt <- ""
			return
		}
		time.Sleep(3 * wait)
		receipt <- "paid"
	}()
	err = slow(3*wait, nil)() //race:Charge.err
	if err != nil {           //race:Charge.err
		return "", err //race:Charge.err
	}
	return <-receipt, nil
}
