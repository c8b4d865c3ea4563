// For minimatch and tinyglobby, with which oclif searches plugins and command files on disk.
function refuse(): never {
  throw new Error('The bundle searches nothing on disk');
}

export {refuse as glob, refuse as minimatch};
