require('reflect-metadata');
const {Body, Controller, Get, HttpException, Module, Param, Post, Put} = require('@nestjs/common');
const {NestFactory} = require('@nestjs/core');
const state = require('./state.cjs');

/** As the exceptions of NestJS, such as ConflictException. */
function attempt(act) {
  try {
    return act();
  } catch (error) {
    const {status, message} = error;
    throw new HttpException(HttpException.createBody(message, 'Refused', status), status);
  }
}

class Connectors {
  fill(count) {
    state.fill(Number(count));
  }
  createToken() {
    return state.createToken();
  }
  activate(body) {
    // As its ValidationPipe, which collects the sentences of class-validator in a list.
    if (!body?.name)
      throw new HttpException(
        HttpException.createBody(['name should not be empty'], 'Bad Request', 400),
        400,
      );
    return attempt(() => state.activate(body));
  }
  list() {
    return state.list();
  }
  get(id) {
    return attempt(() => state.get(id));
  }
  heartbeat(id) {
    attempt(() => state.heartbeat(id));
    return 'ok';
  }
}

/** Decorates a method, and its only parameter. */
function route(name, decorator, parameter) {
  const target = Connectors.prototype;
  if (parameter) parameter(target, name, 0);
  decorator(target, name, Object.getOwnPropertyDescriptor(target, name));
}
route('fill', Put('fill/:count'), Param('count'));
route('createToken', Post('api/connectors/create-token'));
route('activate', Post('api/connectors/activate'), Body());
route('list', Get('api/connectors'));
route('get', Get('api/connectors/:id'), Param('id'));
route('heartbeat', Post('api/connectors/:id/heartbeat'), Param('id'));
Controller()(Connectors);
class App {}
Module({controllers: [Connectors]})(App);
const app = NestFactory.create(App, {logger: false});
app.then((it) => it.listen(Number(process.env.PORT), '127.0.0.1'));
