package screen

import "strings"

// Size of a terminal.
type Size struct{ Rows, Cols int }

// Screen is what is painted on.
type Screen struct {
	rows   int
	cols   int
	frames int
}

// New makes a screen.
func New(s Size) *Screen { return &Screen{rows: s.Rows, cols: s.Cols} }

// Resize is called when the terminal has another size.
func (s *Screen) Resize(to Size) {
	s.rows = to.Rows //race:Screen.rows
	s.cols = to.Cols //race:Screen.cols
}

// Paint draws a box around a title.
func (s *Screen) Paint(title string) []string {
	s.frames++
	width := s.cols //race:Screen.cols
	if len(title) > width-2 {
		title = title[:width-2]
	}
	lines := []string{"+" + strings.Repeat("-", width-2) + "+"}
	lines = append(lines, "|"+title+strings.Repeat(" ", width-2-len(title))+"|")
	for len(lines) < s.rows-1 { //race:Screen.rows
		lines = append(lines, "|"+strings.Repeat(" ", width-2)+"|")
	}
	return append(lines, lines[0])
}
