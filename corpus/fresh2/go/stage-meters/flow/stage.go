package flow

// Item is what flows.
type Item struct {
	Key  string
	Size int
}

// Next takes an item further.
type Next func(Item) error

// Noter counts items.
type Noter interface {
	Note(kept bool)
}

// Stage is a step of a pipeline.
type Stage interface {
	Noter
	Pass(i Item, next Next) error
}

type base struct {
	meter
	name string
}

// Limit drops large items.
type Limit struct {
	*base
	Most int
}

// NewLimit returns a stage that drops what is larger.
func NewLimit(most int) Limit {
	return Limit{&base{name: "limit"}, most}
}

// Pass hands small items on.
func (l Limit) Pass(i Item, next Next) error {
	if i.Size > l.Most {
		return nil
	}
	return next(i)
}

// Rename puts a prefix before keys.
type Rename struct {
	*base
	Prefix string
}

// NewRename returns a stage that renames.
func NewRename(prefix string) Rename {
	return Rename{&base{name: "rename"}, prefix}
}

// Pass hands a renamed item on.
func (r Rename) Pass(i Item, next Next) error {
	i.Key = r.Prefix + i.Key
	return next(i)
}
