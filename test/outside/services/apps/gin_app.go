package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
)

type connector struct {
	ID       int       `json:"id"`
	Name     string    `json:"name"`
	LastSeen time.Time `json:"last_seen"`
}

func main() {
	var lock sync.Mutex
	var all []*connector // nil while there is none, which Go writes as null
	tokens := map[string]bool{}
	gin.SetMode(gin.ReleaseMode)
	app := gin.New()
	app.Use(func(c *gin.Context) { lock.Lock(); defer lock.Unlock(); c.Next() })
	add := func(name string) *connector {
		all = append(all, &connector{ID: len(all) + 1, Name: name})
		return all[len(all)-1]
	}
	find := func(c *gin.Context) *connector {
		at, err := strconv.Atoi(c.Param("id"))
		if err != nil || at < 1 || at > len(all) {
			c.JSON(http.StatusNotFound, gin.H{"error": "there is no such connector"})
			return nil
		}
		return all[at-1]
	}
	app.PUT("/fill/:count", func(c *gin.Context) {
		all = nil
		count, _ := strconv.Atoi(c.Param("count"))
		for at := 1; at <= count; at++ {
			add(fmt.Sprintf("web-%d", at))
		}
	})
	app.POST("/api/connectors/create-token", func(c *gin.Context) {
		token := fmt.Sprintf("act-%d", time.Now().UnixNano())
		tokens[token] = false
		c.JSON(http.StatusOK, gin.H{"token": token, "expires_at": time.Now().UTC().Add(10 * time.Minute)})
	})
	app.POST("/api/connectors/activate", func(c *gin.Context) {
		var body struct {
			Token string `json:"token" binding:"required"`
			Name  string `json:"name" binding:"required"`
		}
		if c.BindJSON(&body) != nil { // It answers 400, without a body.
			return
		}
		used, known := tokens[body.Token]
		if !known {
			c.String(http.StatusBadRequest, "this token is unknown")
		} else if used {
			c.JSON(http.StatusConflict, gin.H{"error": "this token is used already"})
		} else {
			tokens[body.Token] = true
			c.JSON(http.StatusCreated, gin.H{"connector": add(body.Name), "token": "key-of-" + body.Token})
		}
	})
	app.GET("/api/connectors", func(c *gin.Context) { c.JSON(http.StatusOK, all) })
	app.GET("/api/connectors/:id", func(c *gin.Context) {
		if one := find(c); one != nil {
			c.JSON(http.StatusOK, one)
		}
	})
	app.POST("/api/connectors/:id/heartbeat", func(c *gin.Context) {
		if one := find(c); one != nil {
			one.LastSeen = time.Now()
			c.String(http.StatusOK, "ok")
		}
	})
	if err := app.Run("127.0.0.1:" + os.Getenv("PORT")); err != nil {
		panic(err)
	}
}
