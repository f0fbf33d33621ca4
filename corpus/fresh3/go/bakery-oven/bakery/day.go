package bakery

// Day is what the till needs to know.
type Day struct {
	Sold  int
	Waste int
}

// Morning bakes one batch after the other is in.
func (o *Oven) Morning(batches ...Batch) Day {
	for _, b := range batches {
		o.trays.Add(1)
		go o.bake(b)
	}
	o.trays.Wait()
	return o.count()
}

func (o *Oven) count() Day {
	var day Day
	day.Sold = o.baked  //race:Oven.baked
	day.Waste = o.waste //race:Oven.waste
	return day
}
