package operator

// Client is what the reconciler needs of the cluster.
type Client interface {
	Create(kind, name string) error
	Delete(kind, name string) error
}

// Database is the wanted state of a resource.
type Database struct {
	Name     string
	Replicas int
	Removed  bool
}

// Reconciler brings the cluster to the wanted state.
type Reconciler struct {
	Client Client
}

// Reconcile makes the objects of a database, or deletes them.
func (r *Reconciler) Reconcile(db Database) error {
	if db.Removed {
		return r.Client.Delete("StatefulSet", db.Name)
	}
	if err := r.Client.Create("Service", db.Name); err != nil {
		return err
	}
	return r.Client.Create("StatefulSet", db.Name)
}
