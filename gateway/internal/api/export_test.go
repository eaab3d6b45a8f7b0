package api

import "github.com/gin-gonic/gin"

// EngineRoutes lists what the engine really serves.
func (a *API) EngineRoutes() gin.RoutesInfo { return a.engine.Routes() }

// CheckQuery is what a route with these parameters holds a query against.
func CheckQuery(names ...string) gin.HandlerFunc { return checkQuery(names) }
