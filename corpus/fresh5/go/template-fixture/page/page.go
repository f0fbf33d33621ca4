package page

// Page is a page of the site.
type Page struct {
	Title  string
	Blocks []string
}

// Retitle gives the page another title.
func (p *Page) Retitle(title string) {
	p.Title = title //race:Page.Title
}

// Place puts a block at the end.
func (p *Page) Place(block string) int {
	p.Blocks = append(p.Blocks, block) //race:Page.Blocks
	return len(p.Blocks)               //race:Page.Blocks
}
