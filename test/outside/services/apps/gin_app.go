package main

import (
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

var all []gin.H // nil while there is none, which Go writes as null

func add(name string) gin.H {
	// The zero time, as Go writes one that is not set.
	all = append(all, gin.H{"id": len(all) + 1, "name": name, "last_seen": time.Time{}})
	return all[len(all)-1]
}

func main() {
	lock, tokens, app := sync.Mutex{}, map[string]bool{}, gin.Default()
	app.Use(func(c *gin.Context) { lock.Lock(); defer lock.Unlock(); c.Next() })
	app.PUT("/fill/:count", func(c *gin.Context) {
		for all = nil; strconv.Itoa(len(all)) != c.Param("count"); add("web-" + strconv.Itoa(len(all)+1)) {
		}
	})
	app.POST("/api/connectors/create-token", func(c *gin.Context) {
		token := "act-" + time.Now().Format(time.RFC3339Nano)
		tokens[token] = false
		c.JSON(200, gin.H{"token": token, "expires_at": time.Now().UTC().Add(10 * time.Minute)})
	})
	app.POST("/api/connectors/activate", func(c *gin.Context) {
		var sent struct {
			Token, Name string `binding:"required"`
		}
		if c.BindJSON(&sent) != nil { // It answers 400, without a body.
		} else if used, known := tokens[sent.Token]; !known {
			c.String(400, "this token is unknown")
		} else if used {
			c.JSON(409, gin.H{"error": "this token is used already"})
		} else {
			tokens[sent.Token] = true
			c.JSON(201, gin.H{"connector": add(sent.Name), "token": "key-of-" + sent.Token})
		}
	})
	app.GET("/api/connectors", func(c *gin.Context) { c.JSON(200, all) })
	one := func(c *gin.Context) {
		if id, _ := strconv.Atoi(c.Param("id")); id < 1 || id > len(all) {
			c.JSON(404, gin.H{"error": "there is no such connector"})
		} else if c.Request.Method == "GET" {
			c.JSON(200, all[id-1])
		} else {
			all[id-1]["last_seen"] = time.Now()
			c.String(200, "ok")
		}
	}
	app.GET("/api/connectors/:id", one).POST("/api/connectors/:id/heartbeat", one)
	app.Run("127.0.0.1:" + os.Getenv("PORT"))
}
