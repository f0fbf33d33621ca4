package flags

// Flags knows which features are on for whom.
type Flags struct {
	defaults  map[string]bool
	overrides table[string, bool]
	exposures table[string, int]
}

// New returns flags with these defaults.
func New(defaults map[string]bool) *Flags {
	return &Flags{
		defaults:  defaults,
		overrides: make(table[string, bool]),
		exposures: make(table[string, int]),
	}
}

// Override switches a feature for everybody.
func (f *Flags) Override(name string, on bool) {
	f.overrides.put(name, on) //race:Flags.overrides[]
}

// Enabled says whether a feature is on, and counts that somebody asked.
func (f *Flags) Enabled(name string) bool {
	f.expose(name)
	if on, ok := f.overrides.get(name); ok { //race:Flags.overrides[]
		return on
	}
	return f.defaults[name]
}

func (f *Flags) expose(name string) {
	n, _ := f.exposures.get(name) //race:Flags.exposures[]
	f.exposures.put(name, n+1)    //race:Flags.exposures[]
}
