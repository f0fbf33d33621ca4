package lease

var clock = &Clock{now: 1000}

func book() *Book {
	return NewBook(clock.Now)
}
