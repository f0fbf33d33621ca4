package drafts

import (
	"time"
)

// Store keeps drafts.
type Store interface {
	Save(id, text string) error
}

// Draft saves itself a while after each edit.
type Draft struct {
	ID    string
	store Store
	text  string
	timer *time.Timer
	delay time.Duration
}

// Open makes an empty draft.
func Open(id string, s Store, delay time.Duration) *Draft {
	return &Draft{ID: id, store: s, delay: delay}
}

// Edit replaces the text before anything is saved.
func (d *Draft) Edit(text string) {
	d.text = text
	d.timer = time.AfterFunc(d.delay, d.save)
}

func (d *Draft) save() {
	if err := d.store.Save(d.ID, "begin"); err != nil {
		return
	}
	_ = d.store.Save(d.ID, d.text) //race:Draft.text
}

// Close discards the draft.
func (d *Draft) Close() {
	if d.timer != nil {
		d.timer.Stop()
	}
	d.text = "" //race:Draft.text
}
