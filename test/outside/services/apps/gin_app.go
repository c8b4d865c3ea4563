package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

type connector struct {
	ID       int       `json:"id"`
	Name     string    `json:"name"`
	LastSeen time.Time `json:"last_seen"`
}

type activation struct {
	Token string `json:"token" binding:"required"`
	Name  string `json:"name" binding:"required"`
}

var all []*connector // nil while there is none, which Go writes as null

func add(name string) *connector {
	all = append(all, &connector{ID: len(all) + 1, Name: name})
	return all[len(all)-1]
}

// A handler of requests for one connector.
func of(handle func(*gin.Context, *connector)) gin.HandlerFunc {
	return func(c *gin.Context) {
		for _, one := range all {
			if fmt.Sprint(one.ID) == c.Param("id") {
				handle(c, one)
				return
			}
		}
		c.JSON(404, gin.H{"error": "there is no such connector"})
	}
}

func main() {
	var lock sync.Mutex
	tokens := map[string]bool{}
	gin.SetMode(gin.ReleaseMode)
	app := gin.New()
	app.Use(func(c *gin.Context) { lock.Lock(); defer lock.Unlock(); c.Next() })
	app.PUT("/fill/:count", func(c *gin.Context) {
		var count int
		fmt.Sscan(c.Param("count"), &count)
		for all = nil; len(all) < count; add(fmt.Sprintf("web-%d", len(all)+1)) {
		}
	})
	app.POST("/api/connectors/create-token", func(c *gin.Context) {
		token := fmt.Sprintf("act-%d", time.Now().UnixNano())
		tokens[token] = false
		c.JSON(200, gin.H{"token": token, "expires_at": time.Now().UTC().Add(10 * time.Minute)})
	})
	app.POST("/api/connectors/activate", func(c *gin.Context) {
		var body activation
		if c.BindJSON(&body) != nil { // It answers 400, without a body.
			return
		}
		if used, known := tokens[body.Token]; !known {
			c.String(400, "this token is unknown")
		} else if used {
			c.JSON(409, gin.H{"error": "this token is used already"})
		} else {
			tokens[body.Token] = true
			c.JSON(201, gin.H{"connector": add(body.Name), "token": "key-of-" + body.Token})
		}
	})
	app.GET("/api/connectors", func(c *gin.Context) { c.JSON(200, all) })
	app.GET("/api/connectors/:id", of(func(c *gin.Context, one *connector) { c.JSON(200, one) }))
	app.POST("/api/connectors/:id/heartbeat", of(func(c *gin.Context, one *connector) {
		one.LastSeen = time.Now()
		c.String(200, "ok")
	}))
	app.Run("127.0.0.1:" + os.Getenv("PORT"))
}
