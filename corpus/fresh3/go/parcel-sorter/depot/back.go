package depot

// Back sends a parcel back while its sender is told.
func (d *Depot) Back(p Parcel) error {
	_, err := d.weigh(p)
	if err != nil {
		return err
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		err = d.mail.Tell(p.Sender, "comes back") //race:Back.err
	}()
	err = d.load(p) //race:Back.err
	<-told
	return err
}
