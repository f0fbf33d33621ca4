package election

import "context"

type identity struct {
	name string
}

// IsSelf says whether that is this process.
func (i identity) IsSelf(name string) bool {
	return i.name == name
}

// Elector takes part in elections.
type Elector struct {
	identity
	backend Backend
	onLead  func(term uint64)
	leader  string
	term    uint64
}

// New returns an elector that calls back when it leads.
func New(name string, b Backend, onLead func(term uint64)) *Elector {
	return &Elector{identity: identity{name}, backend: b, onLead: onLead}
}

// Run takes part until the context ends.
func (e *Elector) Run(ctx context.Context) error {
	for next := uint64(1); ctx.Err() == nil; next++ {
		leader, err := e.backend.Campaign(e.name, next)
		if err != nil {
			return err
		}
		e.accept(leader, next)
	}
	return ctx.Err()
}

func (e *Elector) accept(leader string, term uint64) {
	e.leader = leader //race:Elector.leader
	e.term = term     //race:Elector.term
	if e.IsSelf(leader) && e.onLead != nil {
		e.onLead(term)
	}
}

// Leader is who leads.
func (e *Elector) Leader() string {
	return e.leader //race:Elector.leader
}

// Term is the number of the last election.
func (e *Elector) Term() uint64 {
	return e.term //race:Elector.term
}
