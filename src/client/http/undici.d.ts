/** The client alone: the index loads all of undici. */
declare module 'undici/lib/dispatcher/client.js' {
  export {Client as default} from 'undici';
}
