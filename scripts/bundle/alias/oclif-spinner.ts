// Replaces oclif's spinner, which includes 80 animations. Our commands show none.
export {default} from '@oclif/core/lib/ux/action/simple.js';
