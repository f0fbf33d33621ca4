package tunnel

// Fan blows.
type Fan struct {
	rpm   int
	limit int
}

func (f *Fan) spin(rpm int) {
	if rpm > f.limit {
		rpm = f.limit
	}
	f.rpm = rpm
}

func (f *Fan) speed() int {
	return f.rpm
}
