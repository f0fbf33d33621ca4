package people

// Person is an entry of the directory.
type Person struct {
	Name, Mail string
	Room       int
}

type table map[string]*Person

func (t table) set(key string, p *Person) {
	t[key] = p
}

func (t table) get(key string) (*Person, bool) {
	p, ok := t[key]
	return p, ok
}

// Index finds people.
type Index struct {
	byName table
	byMail table
}

// NewIndex makes an empty index.
func NewIndex() *Index {
	return &Index{byName: table{}, byMail: table{}}
}

// Hire takes a person in.
func (x *Index) Hire(p *Person) {
	x.byName.set(p.Name, p) //race:Index.byName[]
	x.byMail.set(p.Mail, p) //race:Index.byMail[]
}

// Knows says whether there is a person of that name.
func (x *Index) Knows(name string) bool {
	_, ok := x.byName.get(name) //race:Index.byName[]
	return ok
}

// Accepts says whether mail to an address can be delivered.
func (x *Index) Accepts(mail string) bool {
	_, ok := x.byMail.get(mail) //race:Index.byMail[]
	return ok
}
