package presence

// Room knows who is there.
type Room struct {
	members map[int64]string
}

// Leave removes a member.
func (r *Room) Leave(id int64) {
	delete(r.members, id) //race:Room.members
}

// Names lists the members.
func (r *Room) Names() []string {
	var names []string
	for _, name := range r.members { //race:Room.members
		names = append(names, name)
	}
	return names
}
