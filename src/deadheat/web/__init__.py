"""The dashboard: `deadheat serve`.

`application.create_app` makes the application from `services.Services` and the route table in `routes`. A request reads
one `live.LiveState`: a `snapshot.LakeSnapshot` with people's decisions, which `live.LiveData` replaces when one of them
changes. `sighting_index` finds the sightings of a race without reading all of them. Each page shows a model of
`models`, which is also its JSON.
"""
