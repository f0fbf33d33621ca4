package kiln

// Look says how the firing goes.
func (k *Kiln) Look() (State, error) {
	state := k.state //race:Kiln.state
	fault := k.fault //race:Kiln.fault
	return state, fault
}

// Unload waits until the kiln is cold.
func (k *Kiln) Unload() error {
	<-k.cold
	return k.fault
}
