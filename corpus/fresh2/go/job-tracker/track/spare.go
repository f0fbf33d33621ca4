package track

var spares = []map[string]State{{}, {}, {}}

// spare returns a map that was made before there was anything to do.
func spare() map[string]State {
	m := spares[0]
	spares = spares[1:]
	return m
}
