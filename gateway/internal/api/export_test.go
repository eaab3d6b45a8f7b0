package api

import "github.com/gin-gonic/gin"

// EngineRoutes lists what the engine really serves.
func (a *API) EngineRoutes() gin.RoutesInfo { return a.engine.Routes() }
