// For oclif's spinner, which comes with 80 animations. No command of ours shows one.
export {default} from '@oclif/core/lib/ux/action/simple.js';
