package cards

import "time"

// Player plays from a hand.
type Player struct {
	Name  string
	hand  []Card
	think time.Duration
}

// Deal gives a player cards.
func Deal(name string, think time.Duration, cards ...Card) *Player {
	return &Player{Name: name, hand: cards, think: think}
}

// Play lays every card of the hand.
func (p *Player) Play(t *Table) {
	for len(p.hand) > 0 {
		time.Sleep(p.think)
		p.turn(t)
	}
}

func (p *Player) turn(t *Table) {
	card := p.hand[0]
	p.hand = p.hand[1:]
	if card.Rank > 1 {
		t.lay(card)
	}
	t.note(Move{Player: p.Name, Laid: card.Rank > 1})
}
