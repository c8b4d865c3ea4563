export {endpoints, fillPath, type Operation, operations} from './endpoints.js';
export {headers, problemMediaType} from './headers.js';
export {type KeyAccess, keyAccesses, limits} from './limits.js';
export {type ProblemCode, problems} from './problems.js';
export * from './resources.js';
export {
  type Access,
  commonProblems,
  keyAllows,
  type Route,
  routes,
  serviceRoutes,
} from './routes.js';
