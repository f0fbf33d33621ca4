package depot

// Intake weighs a parcel while its sender is told.
func (d *Depot) Intake(p Parcel) (int, error) {
	err := d.load(p)
	if err != nil {
		return 0, err
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		err = d.mail.Tell(p.Sender, "taken in") //race:Intake.err
	}()
	grams, err := d.weigh(p) //race:Intake.err
	<-told
	return grams, err
}
