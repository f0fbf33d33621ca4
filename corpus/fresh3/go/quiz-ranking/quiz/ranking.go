// Package quiz ranks teams.
package quiz

import (
	"sort"
	"time"
)

// Team has points.
type Team struct {
	Name   string
	Points int
}

// Ranking is made once all answers are in.
type Ranking struct {
	teams []Team
}

// Rank returns the ranking of an evening.
func Rank(points map[string]int) *Ranking {
	r := &Ranking{teams: make([]Team, 0, len(points))}
	for name, n := range points {
		r.teams = append(r.teams, Team{name, n})
	}
	return r
}

type byPoints []Team

func (b byPoints) Len() int           { return len(b) }
func (b byPoints) Less(i, j int) bool { return b[i].Points < b[j].Points }
func (b byPoints) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// Best is the name of the team with most points.
func (r *Ranking) Best() string {
	sort.Sort(sort.Reverse(byPoints(r.teams))) //race:Ranking.teams[]
	return r.teams[0].Name                     //race:Ranking.teams[]
}

// Screen shows the ranking, over and over.
type Screen struct {
	Ranking *Ranking
	Flicker time.Duration
	Lines   chan string
}

// Show shows the best team some times.
func (s *Screen) Show(times int) {
	for i := 0; i < times; i++ {
		s.Lines <- "first: " + s.Ranking.Best()
		time.Sleep(s.Flicker)
	}
}
